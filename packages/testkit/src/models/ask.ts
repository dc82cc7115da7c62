import type { Json, JsonObject } from './json.js';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The events of a stream, as the standard cuts it. */
  readonly events: readonly { readonly event: string; readonly data: string }[];
  /** The body, or undefined where it is not JSON. */
  readonly json: JsonObject | undefined;
}

/** Asks a model server as a client without any library would. */
export async function ask(
  url: string,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    events: isStream ? eventsOf(text) : [],
    json: isStream ? undefined : (JSON.parse(text) as JsonObject),
  };
}

function eventsOf(text: string): Answered['events'] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1] ?? 'message',
      data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
    }));
}
