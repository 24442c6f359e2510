// Views by Incremunica's streaming store and its bind join, in memory, in one process.
//
//     node views.js MODULES DATA QUERIES UPDATES
//
// MODULES is where scripts/incremunica/fetch has put the packages, DATA is N-Triples. QUERIES has a query a line, which
// joins patterns; UPDATES has, as JSON lines, [query, subject, predicate, old value, new value]. Prints one line of JSON.
// What its engine would choose is chosen here, to its advantage: the pattern with a constant comes first, the one whose
// quads change last.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { createRequire } = require('node:module');

const [modules, data, queries, updates] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), 'package.json'));
const { DataFactory, Parser, Store } = load('n3');
const { wrap } = load('asynciterator');
const { translate } = load('sparqlalgebrajs');
const { materializeOperation } = load('@comunica/bus-query-operation');
const { BindingsFactory } = load('@incremunica/incremental-bindings-factory');
const { StreamingStore } = load('@incremunica/incremental-rdf-streaming-store');
const { ActorRdfJoinInnerIncrementalMemoryMultiBind: BindJoin } =
  load('@incremunica/actor-rdf-join-inner-incremental-memory-multi-bind');

const PLACES = ['subject', 'predicate', 'object', 'graph'];
const now = () => Number(process.hrtime.bigint()) / 1e9;

/** Its store of quads, N3's, with a clock: what it takes to keep quads is told apart from what views take. */
class Timed extends Store {
  seconds = 0;

  add(quad) { return this.timed(() => super.add(quad)); }
  delete(quad) { return this.timed(() => super.delete(quad)); }
  has(quad) { return this.timed(() => super.has(quad)); }

  timed(act) {
    const since = now();
    const result = act();
    this.seconds += now() - since;
    return result;
  }
}

const bindingsFactory = new BindingsFactory();
const store = new StreamingStore(new Timed());

/** The solutions of one pattern, as they come and go. */
function matches(pattern) {
  const wanted = PLACES.map(place => (pattern[place].termType === 'Variable' ? null : pattern[place]));
  const variables = PLACES.filter(place => pattern[place].termType === 'Variable');
  const bound = quad => bindingsFactory.bindings(variables.map(place => [pattern[place], quad[place]]), quad.diff);
  return wrap(store.match(...wanted)).map(bound);
}

/** The solutions of patterns that are joined. */
async function joined([first, ...rest]) {
  const base = matches(first);
  return rest.length === 0 ? base : BindJoin.createBindStream(base, rest, joined, false);
}

function patternsOf(text) {
  const found = [];
  const collect = node => {
    if (node.type === 'pattern') found.push(node);
    else (node.patterns ?? node.input?.patterns ?? [node.input]).forEach(collect);
  };
  collect(translate(text));
  const rank = pattern => (pattern.object.termType === 'NamedNode' ? 0 : pattern.predicate.value.endsWith('status') ? 2 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}

async function fill() {
  const parser = new Parser({ format: 'N-Triples' });
  let part = [];
  for await (const line of readline.createInterface({ input: fs.createReadStream(data) })) {
    part.push(line);
    if (part.length === 50_000) {
      store.store.addQuads(parser.parse(part.join('\n')));
      part = [];
    }
  }
  store.store.addQuads(parser.parse(part.join('\n')));
}

const told = new Map();
let count = 0;
let wake = () => {};

async function main() {
  await fill();
  const started = now();
  const before = process.memoryUsage().rss;
  let expected = 0;
  for (const [number, text] of fs.readFileSync(queries, 'utf8').trim().split('\n').entries()) {
    const patterns = patternsOf(text);
    // Of everything else a book has one.
    expected += store.store.countQuads(null, patterns[0].predicate, patterns[0].object, null);
    (await joined(patterns)).on('data', bindings => {
      count += 1;
      if (told.has(number)) told.get(number).push([bindings.get('status').value, bindings.diff]);
      wake();
    });
  }
  while (count < expected) await new Promise(resolve => { wake = resolve; });
  const put = now() - started;
  const kept = process.memoryUsage().rss - before;

  const inStore = [];
  const inViews = [];
  const all = fs.readFileSync(updates, 'utf8').trim().split('\n').map(line => JSON.parse(line));
  const integer = DataFactory.namedNode('http://www.w3.org/2001/XMLSchema#integer');
  for (const [query, subject, predicate, old, fresh] of all) {
    const quad = value => DataFactory.quad(
      DataFactory.namedNode(subject), DataFactory.namedNode(predicate), DataFactory.literal(value, integer));
    told.clear();
    const mine = [];
    told.set(query, mine);
    const others = count;
    const since = now();
    store.store.seconds = 0;
    store.removeQuad(quad(old));
    store.addQuad(quad(fresh));
    while (mine.length < 2) await new Promise(resolve => { wake = resolve; });
    inStore.push(store.store.seconds);
    inViews.push(now() - since - store.store.seconds);
    wake = () => {};
    const right = mine.some(([value, diff]) => value === old && !diff) && mine.some(([value, diff]) => value === fresh && diff);
    if (!right || count - others !== 2) throw new Error(`update of ${subject}: told ${JSON.stringify(mine)}`);
  }
  process.stdout.write(`${JSON.stringify({ triples: store.store.size, put, kept, inStore, inViews })}\n`);
  process.exit(0);
}

main().catch(problem => {
  console.error(problem);
  process.exit(1);
});
