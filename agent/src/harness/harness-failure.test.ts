import { expect, it } from 'vitest';
import { classifyFailure } from './harness-failure.js';

it.each([
  ['API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', 'transient', 'provider_overloaded'],
  ['HTTP 503 Service Unavailable', 'transient', 'provider_overloaded'],
  ['{"statusCode":502}', 'transient', 'provider_overloaded'],
  ['status_code": 429', 'transient', 'provider_overloaded'],
  ['Too many requests, try again', 'transient', 'provider_overloaded'],
  ['rate-limit reached', 'transient', 'provider_overloaded'],
  ['The model is temporarily unavailable', 'transient', 'provider_overloaded'],
  ['API Error: 401 {"type":"authentication_error"}', 'failed', 'model_provider_credential_rejected'],
  ['Invalid API key · Please run /login', 'failed', 'model_provider_credential_rejected'],
  ['Authentication required', 'failed', 'model_provider_credential_rejected'],
  ['OAuth token has expired, http 429', 'failed', 'model_provider_credential_rejected'],
  ['MCP server tools: 401 Unauthorized', 'failed', 'mcp_endpoint_needs_auth'],
  ['The model gpt-9 does not exist', 'failed', 'model_unavailable'],
  ['OAuth redirect to http://localhost:1455 needed', 'failed', 'unsupported_loopback_auth'],
  ['Claude Code process exited with code 1', 'crashed', 'agent_crash'],
  ['write EPIPE', 'crashed', 'agent_crash'],
  ['connect ECONNREFUSED 10.0.0.1:443', 'failed', 'network_error'],
  ['Prompt is too long', 'failed', ''],
  ['HTTP 503: prompt is too long: 210000 tokens > 200000 maximum', 'failed', ''],
  ['status 429 {"code":"context_length_exceeded"}', 'failed', ''],
  ["Codex ran out of room in the model's context window. Start a new conversation.", 'failed', ''],
  ['The input token count exceeds the maximum number of tokens allowed', 'failed', ''],
  ['It took 529 steps', 'failed', ''],
])('classifies %j as %s (%s)', (text, kind, code) => {
  expect(classifyFailure(text)).toEqual({ kind, code });
});
