/** Network: super-peers in their cube, nodes and zones of an event space, and what goes between them. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { NetworkView, SpaceView } from "../answers";
import { get } from "../api";
import { Answered, Badge, Empty, Panel, Screen } from "../parts/basics";
import { Chart } from "../parts/chart";
import { CubePanel } from "../parts/cubepicture";
import { SpacePanel } from "../parts/spacepicture";
import { figures, useAnswer } from "../state";
import { number, rate, words } from "../words";

const text = words.network;
const REFRESH = 2_000;
const KEPT = 150;

export function Network() {
  const now = figures.use();
  return (
    <Screen title={words.screens.network} about={text.about}>
      {now && !now.in_network && !now.in_space && (
        <Panel title={words.screens.network}>
          <Empty>{text.none}</Empty>
        </Panel>
      )}
      {now?.in_network && <SuperPeers />}
      {now?.in_space && <Space />}
    </Screen>
  );
}

const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

interface Traffic {
  data: [number[], number[], number[]];
  perMember: Map<string, number>;
}

/** How much was sent and received since it was last asked, in a second. */
function useTraffic(view: NetworkView | SpaceView | null): Traffic {
  const last = useRef<{ at: number; view: NetworkView | SpaceView } | null>(null);
  const [traffic, setTraffic] = useState<Traffic>({ data: [[], [], []], perMember: new Map() });
  useEffect(() => {
    if (!view) return;
    const at = Date.now() / 1000;
    const before = last.current;
    last.current = { at, view };
    if (!before) return;
    const seconds = Math.max(0.1, at - before.at);
    const speed = (one: Record<string, number>, other: Record<string, number>) => Math.max(0, total(one) - total(other)) / seconds;
    const lines = "lines" in view && "lines" in before.view ? Object.entries(view.lines).map(([id, counts]) => [id, speed(counts, (before.view as NetworkView).lines[id] ?? {})] as const) : [];
    setTraffic(({ data: [times, sent, received] }) => ({
      data: [
        [...times, at].slice(-KEPT),
        [...sent, speed(view.sent, before.view.sent)].slice(-KEPT),
        [...received, speed(view.received, before.view.received)].slice(-KEPT),
      ],
      perMember: new Map(lines),
    }));
  }, [view]);
  return traffic;
}

function SuperPeers() {
  const view = useAnswer((signal) => get<NetworkView>("/network", { limit: 0 }, signal), [], REFRESH);
  const traffic = useTraffic(view.found);
  return (
    <Answered of={view}>
      {(found) => (
        <div class="columns even">
          <CubePanel view={found} perMember={traffic.perMember} />
          <div class="stack">
            <Messages traffic={traffic} />
            <Members view={found} perMember={traffic.perMember} />
          </div>
        </div>
      )}
    </Answered>
  );
}

function Messages(props: { traffic: Traffic }) {
  const { data } = props.traffic;
  const summary = text.messagesNow(rate(data[1].at(-1) ?? 0), rate(data[2].at(-1) ?? 0));
  return (
    <Panel title={text.messages}>
      <Chart
        lines={[
          { label: text.sentOut, colour: "--c-events" },
          { label: text.received, colour: "--c-notifications" },
        ]}
        data={data}
        summary={summary}
        height={150}
      />
    </Panel>
  );
}

function Members(props: { view: NetworkView; perMember: Map<string, number> }) {
  const { view, perMember } = props;
  return (
    <Panel title={text.members} aside={<Badge>{number(view.members.length)}</Badge>}>
      <div class="scroll" tabIndex={0} role="region" aria-label={text.members}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.place}</th>
              <th scope="col">{text.status}</th>
              <th scope="col" class="widest">
                {text.address}
              </th>
              <th scope="col" class="number">
                {text.heard}
              </th>
              <th scope="col" class="number">
                {text.sent}
              </th>
            </tr>
          </thead>
          <tbody>
            {view.members.map((member) => (
              <tr key={member.id}>
                <th scope="row" class="mono" title={`${member.address} ${member.id}`}>
                  {member.label ?? "–"} {member.id === view.id && <Badge tone="good">{text.here}</Badge>}
                </th>
                <td>
                  <Badge tone={member.status === "alive" ? "good" : "bad"}>{member.status}</Badge>
                </td>
                <td class="widest mono">{member.address}</td>
                <td class="number">{member.id === view.id ? number(view.head) : member.heard === null ? "–" : number(member.heard)}</td>
                <td class="number">{member.id === view.id ? "–" : rate(perMember.get(member.id) ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Space() {
  const view = useAnswer((signal) => get<SpaceView>("/space", {}, signal), [], REFRESH);
  const traffic = useTraffic(view.found);
  return (
    <Answered of={view}>
      {(found) => (
        <div class="columns even">
          <SpacePanel view={found} />
          <div class="stack">
            <Messages traffic={traffic} />
            <SpaceNodes view={found} />
          </div>
        </div>
      )}
    </Answered>
  );
}

function SpaceNodes(props: { view: SpaceView }) {
  const { view } = props;
  return (
    <Panel title={text.nodes} aside={<Badge>{number(view.nodes.length)}</Badge>}>
      {view.silent.length > 0 && <p class="notice bad">{text.silent(view.silent.join(", "))}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={text.members}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.address}</th>
              <th scope="col">{text.stage}</th>
              <th scope="col" class="number">
                {text.zones}
              </th>
              <th scope="col" class="number">
                {text.quads}
              </th>
              <th scope="col" class="number wide">
                {text.neighbours}
              </th>
            </tr>
          </thead>
          <tbody>
            {view.nodes.map((node, place) => (
              <tr key={node.id}>
                <th scope="row" class="mono" title={node.id}>
                  <i class={`dot zone-${place % 8}`} aria-hidden="true" /> {node.address} {node.id === view.id && <Badge tone="good">{text.here}</Badge>}
                </th>
                <td>
                  <Badge tone="good">{node.stage}</Badge>
                </td>
                <td class="number">{node.zones.length}</td>
                <td class="number">{number(node.quads)}</td>
                <td class="number wide">{node.neighbours.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
