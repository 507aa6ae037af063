/**
 * Answers of the two formats as real providers give them, whole or as events: texts and tool calls. Deterministic, so that
 * a direct call and one through the gate can be held against one another byte by byte.
 */
import type { ServerResponse } from 'node:http';
import type { Answerer, RecordedCall } from './recording-provider.js';

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
}

/** Answers both formats by the path. */
export const answerChat: Answerer = async (call, response) => {
  const asked = JSON.parse(call.body.toString('utf8')) as Asked;
  const isMessages = call.url.includes('/messages');
  if (asked.stream === true) {
    await sendEvents(response, isMessages ? messageEvents(asked, call) : chatEvents(asked, call));
    return;
  }
  const body = JSON.stringify(isMessages ? wholeMessage(asked, call) : wholeChat(asked, call));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
};

/** What the provider says: how many bytes it got. */
const saidOf = ({ body }: RecordedCall): string => `I read ${body.length} bytes, caf\u00e9 \u{1f600}`;

const CALLS = [
  { id: 'call_1', name: 'look_up', arguments: '{"place":"here"}' },
  { id: 'call_2', name: 'look_up', arguments: '{"place":"there"}' },
] as const;

const wholeChat = ({ model, tools }: Asked, call: RecordedCall): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [
    {
      index: 0,
      finish_reason: tools === undefined ? 'stop' : 'tool_calls',
      message: {
        role: 'assistant',
        content: tools === undefined ? saidOf(call) : null,
        ...(tools === undefined
          ? {}
          : {
              tool_calls: CALLS.map(({ id, ...rest }) => ({ id, type: 'function', function: rest })),
            }),
      },
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
});

const chatEvents = ({ model, tools }: Asked, call: RecordedCall): readonly string[] => {
  const chunk = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const deltas =
    tools === undefined
      ? [...saidOf(call)].map((content) => chunk({ content }))
      : CALLS.flatMap(({ id, name, arguments: text }, index) => [
          chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
          ...[text.slice(0, 7), text.slice(7)].map((part) =>
            chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
          ),
        ]);
  return [
    ': ready\n\n',
    chunk({ role: 'assistant' }),
    ...deltas,
    chunk({}, tools === undefined ? 'stop' : 'tool_calls'),
    'data: [DONE]\n\n',
  ];
};

const wholeMessage = ({ model, tools }: Asked, call: RecordedCall): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content:
    tools === undefined
      ? [{ type: 'text', text: saidOf(call) }]
      : CALLS.map(({ id, name, arguments: text }) => ({
          type: 'tool_use',
          id,
          name,
          input: JSON.parse(text) as object,
        })),
  stop_reason: tools === undefined ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 5 },
});

const messageEvents = ({ model }: Asked, call: RecordedCall): readonly string[] => {
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  return [
    event('message_start', { message: { ...message, usage: { input_tokens: 11, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    ...[...saidOf(call)].map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } }),
    event('message_stop', {}),
  ];
};

/** One write an event, each in a turn of its own. */
const sendEvents = async (response: ServerResponse, events: readonly string[]): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) {
    response.write(event);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  response.end();
};
