import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ModelRequest {
  readonly path: string;
  readonly body: string;
}

type Answer = (request: ModelRequest, response: ServerResponse) => void;

/** A model provider on loopback that answers real coding agents as the test says. */
export class LoopbackModel implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  answer: Answer;
  private readonly server = createServer((request, response) => void this.take(request, response));

  private constructor(answer: Answer) {
    this.answer = answer;
  }

  static async start(answer: Answer): Promise<LoopbackModel> {
    const model = new LoopbackModel(answer);
    await new Promise<void>((resolve) => model.server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = { path: request.url ?? '', body: Buffer.concat(chunks).toString() };
    this.requests.push(asked);
    this.answer(asked, response);
  }
}

/** An answer of an OpenAI-compatible API. */
function complete(response: ServerResponse, delta: object, reason: 'stop' | 'tool_calls'): void {
  const chunk = (part: object, finish_reason: string | null) => ({
    id: 'one',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'any',
    choices: [{ index: 0, delta: part, finish_reason }],
    ...(finish_reason ? { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } } : {}),
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of [chunk(delta, null), chunk({ content: '' }, reason)])
    response.write(`data: ${JSON.stringify(one)}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** The text of a message, whose content is a text or a list of parts. */
const textOf = ({ content }: { readonly content: unknown }): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** Answers of the providers, as their public APIs define them. */
export const modelAnswers = {
  gemini:
    (text: string): Answer =>
    (_, response) => {
      const candidates = [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }];
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`);
    },
  completions:
    (text: string): Answer =>
    (_, response) =>
      complete(response, { role: 'assistant', content: text }, 'stop'),
  /**
   * OpenCode runs the command that the last message of the person has in `run(…)`, and answers with
   * its output.
   */
  commands: (): Answer => (request, response) => {
    const { tools, messages } = JSON.parse(request.body || '{}');
    const asked = messages.findLastIndex(({ role }: { role: string }) => role === 'user');
    const [, command] = /run\((.+)\)/.exec(textOf(messages[asked])) ?? [];
    const result = messages.slice(asked).find(({ role }: { role: string }) => role === 'tool');
    if (!command || !tools || result)
      return modelAnswers.completions(`said ${result ? textOf(result) : 'nothing'}`)(request, response);
    const args = JSON.stringify({ command, description: 'Work' });
    const call = {
      index: 0,
      id: `call_${asked}`,
      type: 'function',
      function: { name: 'bash', arguments: args },
    };
    complete(response, { role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls');
  },
  /** Claude calls the tool, and answers the result and any other request with the text. */
  claude:
    (tool: { readonly name: string; readonly input: object }, text: string): Answer =>
    ({ body }, response) => {
      const { tools, messages } = JSON.parse(body || '{}');
      const isCall =
        JSON.stringify(tools ?? []).includes(`"${tool.name}"`) && !body.includes('"tool_result"');
      const block = isCall
        ? { type: 'tool_use', id: `toolu_${messages.length}`, name: tool.name, input: {} }
        : { type: 'text', text: '' };
      const delta = isCall
        ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
        : { type: 'text_delta', text };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'any', content: [], usage };
      const stop = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
      const events = [
        { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: stop, usage },
        { type: 'message_stop' },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    },
  /** Codex gets the text, with headers. */
  codex:
    (text: string, headers: Readonly<Record<string, string>>): Answer =>
    ({ path, body }, response) => {
      // It tries a socket first.
      if (!path.endsWith('/responses') || body === '') {
        response.writeHead(404).end();
        return;
      }
      const content = [{ type: 'output_text', text }];
      const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const usage = { ...tokens, input_tokens_details: null, output_tokens_details: null };
      const events = [
        { type: 'response.created', response: { id: 'one' } },
        { type: 'response.output_item.done', item: { type: 'message', role: 'assistant', id: 'm', content } },
        { type: 'response.completed', response: { id: 'one', usage } },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    },
  failure:
    (status: number, body: object): Answer =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
};
