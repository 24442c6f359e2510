// Lets SEPA's client for JavaScript do what standard input says, one JSON object a line, and tells what happens.
// node driver.js FOLDER JSAP
const fs = require("fs");
const readline = require("readline");
const { SEPA, Jsap } = require(`${process.argv[2]}/node_modules/@arces-wot/sepa-js`);

const profile = JSON.parse(fs.readFileSync(process.argv[3]));
const client = new SEPA(profile);
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
  query: ({ sparql }) => client.query(sparql),
  update: ({ sparql }) => client.update(sparql),
  "jsap query": ({ id, bindings }) => application.query(id, bindings),
  "jsap update": ({ id, bindings }) => application.update(id, bindings),
  subscribe: ({ name, sparql }) => follow(name, client.subscribe(sparql, undefined, name)),
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
