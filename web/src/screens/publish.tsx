/** Publish one event by hand. */

import { useState } from "preact/hooks";

import { Problem, post } from "../api";
import { Dialog } from "../parts/basics";
import { Editor, type Mistake } from "../parts/editor";
import { learnVocabulary, problemText, say } from "../state";
import { words } from "../words";

const EXAMPLE = `@prefix dcterms: <http://purl.org/dc/terms/> .

<urn:book:1> a <urn:Book> ;
    dcterms:title "A book" ;
    dcterms:creator "Somebody" .
`;

export function PublishDialog(props: { onClose: () => void }) {
  const [name, setName] = useState(`urn:event:${crypto.randomUUID()}`);
  const [body, setBody] = useState(EXAMPLE);
  const [mistake, setMistake] = useState<Mistake | null>(null);
  const send = async () => {
    try {
      const { events } = await post<{ events: { position: number }[] }>("/events", { graph: name }, body, "text/turtle");
      say(words.publish.done(events[0]!.position));
      void learnVocabulary();
      props.onClose();
    } catch (error) {
      const found = error instanceof Problem ? error : null;
      setMistake({ text: problemText(error), line: found?.line ?? null, column: found?.column ?? null });
    }
  };
  return (
    <Dialog title={words.publish.title} onClose={props.onClose}>
      <label>
        {words.publish.name}
        <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <Editor label={words.publish.body} language="turtle" initial={body} mistake={mistake} onChange={(text) => (setBody(text), setMistake(null))} onRun={send} />
      <p class="bad-text" role="alert">
        {mistake?.text ?? ""}
      </p>
      <footer class="actions">
        <button onClick={props.onClose}>{words.cancel}</button>
        <button class="primary" onClick={send}>
          {words.publish.send}
        </button>
      </footer>
    </Dialog>
  );
}
