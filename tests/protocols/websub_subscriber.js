// A subscriber of the package `pubsubhubbub`: it listens, subscribes, and prints what it is told, one JSON object a line.
// Without a secret: the package tells the hub one that it derives, and checks signatures with the one that it was given.
const [folder, port, hub, topic, authorization] = process.argv.slice(2);
const pubSubHubbub = require(require.resolve("pubsubhubbub", { paths: [folder] }));
const say = (event, more) => console.log(JSON.stringify({ event, ...more }));
const subscriber = pubSubHubbub.createServer({
  callbackUrl: `http://127.0.0.1:${port}/hook`,
  leaseSeconds: 3600,
  headers: authorization ? { Authorization: authorization } : {},
});
const ask = (mode) => subscriber[mode](topic, hub, (error) => error && say("error", { message: String(error) }));
subscriber.on("subscribe", (data) => say("subscribe", { topic: data.topic, lease: data.lease }));
subscriber.on("unsubscribe", (data) => say("unsubscribe", { topic: data.topic }));
subscriber.on("denied", (data) => say("denied", data));
subscriber.on("error", (error) => say("error", { message: String(error) }));
subscriber.on("feed", (data) => say("feed", { body: JSON.parse(data.feed.toString()) }));
subscriber.on("listen", () => ask("subscribe"));
process.stdin.on("data", () => ask("unsubscribe"));
subscriber.listen(Number(port), "127.0.0.1");
