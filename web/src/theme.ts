/** Light, dark, or as the system has it. The choice is the only thing that the browser keeps. */

import { Shared } from "./state";

export type Theme = "auto" | "light" | "dark";
const KEY = "triplewire-theme";

function kept(): Theme {
  const found = localStorage.getItem(KEY);
  return found === "light" || found === "dark" ? found : "auto";
}

export const theme = new Shared<Theme>(kept());

export function applyTheme() {
  document.documentElement.dataset["theme"] = theme.value;
}

export function nextTheme() {
  const order: Theme[] = ["auto", "light", "dark"];
  const next = order[(order.indexOf(theme.value) + 1) % order.length]!;
  localStorage.setItem(KEY, next);
  document.documentElement.dataset["theme"] = next;
  theme.value = next;
}
