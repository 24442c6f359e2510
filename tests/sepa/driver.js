// Lets SEPA's client for JavaScript do what standard input says, one JSON object a line, and tells what happens.
// node driver.js FOLDER JSAP [identity IDENTITY | client ID SECRET]
const fs = require("fs");
const readline = require("readline");
const { SEPA, Jsap, client: { secure: SecureSEPA } } = require(`${process.argv[2]}/node_modules/@arces-wot/sepa-js`);

const [, , , file, kind, id, secret] = process.argv;
const profile = JSON.parse(fs.readFileSync(file));
let client = kind === undefined ? new SEPA(profile) : undefined;

// Whoever has credentials gets a token before it subscribes, as the client's own manual says.
async function ready() {
  if (client !== undefined) return client;
  const made = kind === "identity"
    ? await SecureSEPA.register(id, profile)
    : new SecureSEPA(id, secret, { ...profile, options: {} });
  await made.login();
  return (client = made);
}

const application = new Jsap(JSON.parse(JSON.stringify(profile)));
const subscriptions = {};

const tell = (members) => process.stdout.write(JSON.stringify(members) + "\n");

function follow(name, subscription) {
  subscriptions[name] = subscription;
  subscription.on("notification", (told) =>
    tell({
      event: "notification",
      name,
      sequence: told.sequence,
      added: told.addedResults.results.bindings,
      removed: told.removedResults.results.bindings,
    }),
  );
  subscription.on("unsubscribed", () => tell({ event: "unsubscribed", name }));
  subscription.on("error", (problem) =>
    tell({ event: "error", name, status: problem.status_code, text: problem.error_description }),
  );
}

const doing = {
  query: async ({ sparql }) => (await ready()).query(sparql),
  update: async ({ sparql }) => (await ready()).update(sparql),
  "jsap query": ({ id, bindings }) => application.query(id, bindings),
  "jsap update": ({ id, bindings }) => application.update(id, bindings),
  subscribe: async ({ name, sparql }) => follow(name, (await ready()).subscribe(sparql, undefined, name)),
  "jsap subscribe": ({ name, id, bindings }) => follow(name, application.subscribe(id, bindings)),
  unsubscribe: ({ name }) => subscriptions[name].unsubscribe(),
};

readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  const asked = JSON.parse(line);
  try {
    tell({ event: "done", result: (await doing[asked.do](asked)) ?? null });
  } catch (problem) {
    tell({ event: "failed", status: problem.response?.status ?? null, text: String(problem) });
  }
}).on("close", () => process.exit(0));
