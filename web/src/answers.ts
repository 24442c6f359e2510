/** What the node answers; the Structs of `triplewire.wire`, as far as the page reads them. */

export interface WhoAmI {
  id: string;
  name: string;
  is_admin: boolean;
  may_publish: boolean;
  may_read: boolean;
  may_read_everything: boolean;
  is_open: boolean;
  node: string;
  version: string;
}

export interface Figures {
  time: number;
  uptime: number;
  published: number;
  matched: number;
  delivered: number;
  acknowledged: number;
  candidates: number;
  subscriptions: number;
  views: number;
  rules: number;
  dead_letters: number;
  oldest_waiting: number;
  waiting: number;
  writer_queue: number;
  log_bytes: number;
  disk_free: number;
  head: number;
  floor: number;
  living_quads: number;
  commits: number;
  commit_seconds: number;
  in_network: boolean;
  in_space: boolean;
}

export interface RecentEvent {
  position: number;
  event: string;
  publisher: string;
  accepted: number;
  quads: number;
  nquads: string;
  origin: string | null;
}

export interface RecentEvents {
  events: RecentEvent[];
  position: number;
  skipped: number;
}

export interface JsonTerm {
  type: "uri" | "bnode" | "literal" | "typed-literal" | "triple";
  value: string | { subject: JsonTerm; predicate: JsonTerm; object: JsonTerm };
  datatype?: string;
  "xml:lang"?: string;
}

export type Solution = Record<string, JsonTerm>;

export interface Explanation {
  lane: "fast" | "general";
  requires: string[];
  patterns: string[];
  constraints: string;
  unindexed: boolean;
}

export interface TrialMatch {
  event: string;
  position: number;
  accepted: number;
  solutions: Solution[];
  solution_count: number;
  construct: string[];
}

export interface Trial {
  events: number;
  first: number;
  last: number;
  matched: number;
  matches: TrialMatch[];
  misses: { event: string; position: number; closeness: number; reason: string }[];
  explanation: Explanation;
}

export interface Vocabulary {
  prefixes: Record<string, string>;
  classes: { iri: string; count: number }[];
  properties: { iri: string; count: number }[];
  events: number;
}

export interface Standing {
  id: string;
  owner: string;
  language?: string;
  text: string;
  delivery: string;
  callback: string | null;
  retention: number | null;
  state: string;
  reason: string | null;
  created: number;
  acknowledged: number;
  latest: number;
  waiting_bytes: number;
  unindexed?: boolean;
  paused: boolean;
  matched: number;
  delivered: number;
}

export interface Notification {
  event: string;
  position: number;
  solutions?: Solution[];
  construct?: string[];
}

export interface DeadLetter {
  id: number;
  subscription: string | null;
  event: string;
  position: number;
  reason: string;
  attempts: number;
}

export interface Rule {
  id: string;
  owner: string;
  text: string;
  listens: string;
  registered: number;
  quarantined: string | null;
}

export interface RuleAnalysis {
  kind: "analysed" | "no schema" | "no rules";
  layers: string[][];
  arcs: { rule: string; triggers: string; reason: string; on_cycle: boolean }[];
  findings: { label: string; text: string; rules: string[]; warns: boolean }[];
}

export interface Firing {
  number: number;
  schedule: number;
}

export interface TracedUnit {
  number: number;
  transaction: string;
  rule: string | null;
  cause: number | null;
  depth: number;
  coupling: string | null;
  delta: Record<string, string>;
  status: "committed" | "aborted";
  error: string | null;
  inserted: number;
  deleted: number;
}

export interface TracedSchedule {
  schedule: number;
  time: number;
  units: TracedUnit[];
}

export interface ChangePage {
  changes: { position: number; time: number; added: string[]; removed: string[] }[];
  position: number;
  head: number;
}

export interface MatchHistory {
  first: number;
  last: number;
  floor: number;
  seconds: number;
  events: number;
  matches: number;
  bins: { time: number; position: number; events: number; matches: number }[];
}

export interface Member {
  id: string;
  address: string;
  slot: number | null;
  label: string | null;
  status: string;
  incarnation: number;
  heard: number | null;
}

export interface NetworkView {
  id: string;
  address: string;
  network: string;
  stage: string;
  slot: number | null;
  label: string | null;
  head: number;
  members: Member[];
  neighbours: { dimension: number; slot: number; label: string; id: string }[];
  subscriptions: number;
  sent: Record<string, number>;
  received: Record<string, number>;
  lines: Record<string, Record<string, number>>;
}

export interface Zone {
  lower: string[];
  upper: (string | null)[];
  epoch: number;
  quads: number;
}

export interface SpaceView {
  id: string;
  nodes: {
    id: string;
    address: string;
    stage: string;
    zones: Zone[];
    quads: number;
    holder: string | null;
    neighbours: string[];
  }[];
  silent: string[];
  sent: Record<string, number>;
  received: Record<string, number>;
}
