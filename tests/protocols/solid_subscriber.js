// Solid's clients as they are published: one finds and asks for a channel, the other listens to it.
const [folder, topic, kind, sendTo] = process.argv.slice(2);
const load = (name) => require(require.resolve(name, { paths: [folder] }));
const { SubscriptionClient } = load("@solid-notifications/subscription");
const { WebsocketNotification } = load("@inrupt/solid-client-notifications");
const say = (event, more) => console.log(JSON.stringify({ event, ...more }));
const type = `http://www.w3.org/ns/solid/notifications#${kind}`;
new SubscriptionClient(fetch)
  .subscribe(topic, type, sendTo)
  .then((channel) => {
    say("channel", { channel });
    if (!channel.receiveFrom) return;
    const socket = new WebsocketNotification(topic, { fetch });
    socket.on("connected", () => say("connected", {}));
    socket.on("message", (told) => say("message", { told }));
    socket.on("error", (error) => say("error", { message: String(error.message) }));
    socket.connect(channel.receiveFrom);
  })
  .catch((error) => say("error", { message: String(error) }));
