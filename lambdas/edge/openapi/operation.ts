import type { Authorisation, Route } from '../../route-row.js';
import type { Contract, ResponseBody } from '../contract.js';
import { idempotencyKeyPattern } from '../idempotency-header.js';
import { errorCodes, errorExampleRefs } from './error-responses.js';
import { type JsonSchema, jsonSchema } from './json-schema.js';
import { sample, sampleOf } from './sample.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

interface MediaType {
  readonly schema: JsonSchema | { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** One route of the table and its contract, in the words of OpenAPI. */
export function operation(route: Route, contract: Contract): Operation {
  const [area = ''] = route.file.split('/');
  return {
    operationId: route.file.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [area],
    summary: contract.summary,
    ...(contract.description ? { description: contract.description } : {}),
    security: contract.readsSession ? [{ session: [] }, {}] : securityOf[route.auth.kind],
    parameters: [
      ...pathParameters(route.path, jsonSchema(contract.params, 'input')),
      ...queryParameters(jsonSchema(contract.query, 'input')),
      ...headerParameters(contract.headers ?? {}),
    ],
    ...(contract.takesBody ? { requestBody: requestBodyOf(contract) } : {}),
    responses: responsesOf(route, contract),
  };
}

function requestBodyOf({ bodySchema, body, bodyTypes, example: given }: Contract): RequestBody {
  const schema = bodySchema ?? jsonSchema(body, 'input');
  // A body with its own schema is a form, which has no JSON sample.
  const example = given ?? (bodySchema ? undefined : sample(schema));
  return {
    required: (schema.required ?? []).length > 0,
    content: Object.fromEntries(bodyTypes.map((type) => [type, { schema, example }])),
  };
}

const securityOf: Readonly<Record<Authorisation['kind'], Operation['security']>> = {
  public: [],
  own: [],
  session: [{ session: [] }],
  capability: [{ session: [] }],
  superadmin: [{ session: [] }],
  nodeCallback: [{ nodeToken: [] }],
  workspaceCallback: [{ workspaceToken: [] }],
  agentCallback: [{ workspaceToken: [] }],
  anyCallback: [{ nodeToken: [] }, { workspaceToken: [] }],
  mcp: [{ mcpToken: [] }],
};

function pathParameters(path: string, { properties = {} }: JsonSchema): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: properties[name] ?? { type: 'string' },
    example: sampleOf(name, properties[name] ?? { type: 'string' }),
  }));
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(required.includes(name) ? { example: sampleOf(name, schema) } : {}),
  }));
}

const headerParameters = (headers: Readonly<Record<string, string>>): Parameter[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: headerSchemas[name.toLowerCase()] ?? { type: 'string' },
  }));

const headerSchemas: Readonly<Record<string, JsonSchema>> = {
  'idempotency-key': { type: 'string', pattern: idempotencyKeyPattern.source },
};

function responsesOf(route: Route, contract: Contract): Record<string, ResponseObject> {
  const successes = Object.entries(contract.responses).map(([status, shape]) => [
    status,
    success(Number(status), shape, contract.answers?.[Number(status)]),
  ]);
  const failures = [...errorCodes(route, contract)].map(([status, codes]) => [
    String(status),
    {
      description: codes.join(', '),
      ...(Number(status) === 429 || Number(status) === 503 ? { headers: retryAfter } : {}),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: errorExampleRefs(codes),
        },
      },
    },
  ]);
  // A status that the contract answers itself, such as a degraded health, keeps its own shape.
  return Object.fromEntries([...failures, ...successes]);
}

const retryAfter = {
  'retry-after': { description: 'Seconds after which to try again', schema: { type: 'integer' } },
};

const meanings: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the work continues in the background',
  204: 'Done; no content',
  302: 'Redirect',
  303: 'Redirect',
  409: 'Not possible in the present state',
  503: 'Unavailable; try again later',
};

function success(status: number, shape: ResponseBody, example: unknown): ResponseObject {
  const description = meanings[status] ?? String(status);
  const location = { location: { description: 'The address to request next', schema: { type: 'string' } } };
  if (shape === null) return status >= 300 ? { description, headers: location } : { description };
  if (typeof shape === 'string') {
    const [mediaType = shape] = shape.split(';');
    return { description, content: { [mediaType]: { schema: { type: 'string' } } } };
  }
  const schema = jsonSchema(shape, 'output');
  return { description, content: { 'application/json': { schema, example: example ?? sample(schema) } } };
}
