/** The webhooks: the headers of a delivery, how to check it, and each event. */
import type { ReactNode } from 'react';
import { Block, Code, Copy, Words } from './code.tsx';
import { bodyOf, type OpenApi, type Placed } from './document.ts';
import { Fields, Parameters } from './fields.tsx';

const CHECK = `import { verifyWebhook } from 'heliograph/webhooks';

// rawBody is the body as it came, before any JSON parser.
const secret = process.env.SIGNING_SECRET;
const event = verifyWebhook(request.headers, rawBody, secret);
console.log(event.id, event.event, event.data);`;

/** The section of webhooks. */
export function Webhooks({ api, events }: { readonly api: OpenApi; readonly events: readonly Placed[] }): ReactNode {
  const headers = events[0]?.parameters ?? [];
  return (
    <>
      <article className="operation" id="webhook-headers" aria-labelledby="webhook-headers-title">
        <div className="about">
          <h3 id="webhook-headers-title">
            <a href="#webhook-headers">Headers and signature</a>
          </h3>
          <p>
            Every delivery is a POST with these headers. Answer with a status of 200 to 299 within 15 seconds; anything
            else is tried again, ten times over 75 hours, and 410 disables the endpoint. An event may come twice: act on
            each <code>id</code> once.
          </p>
          <Parameters parameters={headers} title="Headers" isAnswer />
        </div>
        <div className="calls">
          <Block title="Check a delivery" actions={<Copy text={CHECK} of="the check of a delivery" />}>
            <Code text={CHECK} />
          </Block>
        </div>
      </article>
      {events.map(event => (
        <Event key={event.operationId} api={api} event={event} />
      ))}
    </>
  );
}

function Event({ api, event }: { readonly api: OpenApi; readonly event: Placed }): ReactNode {
  const { schema, examples } = bodyOf(event.requestBody?.content);
  const text = JSON.stringify(examples[0]?.[1].value, null, 2);
  return (
    <article className="operation" id={event.operationId} aria-labelledby={`${event.operationId}-title`}>
      <div className="about">
        <h3 id={`${event.operationId}-title`}>
          <a href={`#${event.operationId}`}>{event.summary}</a>
        </h3>
        <p>
          <Words text={event.description} />
        </p>
        {schema && (
          <details className="answer">
            <summary>Fields of the body</summary>
            <Fields api={api} schema={schema} title="Body" isAnswer />
          </details>
        )}
      </div>
      <div className="calls">
        <Block title="Body" actions={<Copy text={text} of={`the body of ${event.summary}`} />}>
          <Code text={text} />
        </Block>
      </div>
    </article>
  );
}
