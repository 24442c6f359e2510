/** Sign in with a client's secret. It goes into a variable, and nowhere else. */

import { useState } from "preact/hooks";

import { Logo } from "../app";
import { Problem, session } from "../api";
import { enter } from "../state";
import { words } from "../words";

export function SignIn() {
  const [secret, setSecret] = useState("");
  const [problem, setProblem] = useState("");
  const send = async (event: Event) => {
    event.preventDefault();
    session.set(secret.trim());
    try {
      await enter();
    } catch (error) {
      session.set(null);
      setProblem(error instanceof Problem && error.status === 401 ? words.signIn.wrong : words.offline);
    }
  };
  return (
    <main class="signin">
      <form class="panel" onSubmit={send} autocomplete="off">
        <Logo />
        <h1>{words.signIn.title}</h1>
        <p>{words.signIn.about}</p>
        <label>
          {words.signIn.label}
          <input
            type="password"
            name="triplewire-secret"
            autocomplete="off"
            autofocus
            required
            value={secret}
            aria-describedby="signin-problem"
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </label>
        <p id="signin-problem" class="bad-text" role="alert">
          {problem}
        </p>
        <button class="primary" type="submit">
          {words.signIn.button}
        </button>
        <p class="muted">{words.signIn.hint}</p>
      </form>
    </main>
  );
}
