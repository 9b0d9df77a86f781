import type { OpenApiDocument } from './document.js';
import { withoutNull } from './fields.js';
import type { JsonSchema } from './json-schema.js';

/**
 * The records of the API by name, each with a place where it is: operation, status or `body`, and
 * fields on the way to it.
 */
export type NamedSchemas = Readonly<Record<string, readonly [string, number | 'body', ...string[]]>>;

/** The names by the JSON of their schemas, which are in this document. */
export function schemaNames(document: OpenApiDocument, named: NamedSchemas): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(named).map(([name, place]) => [JSON.stringify(schemaAt(document, place)), name]),
  );
}

/**
 * The document with its repeated parts under `components`, and references in their place: schemas
 * that have a name, and errors of more than one operation.
 */
export function withSharedParts(
  document: OpenApiDocument,
  nameOf: ReadonlyMap<string, string>,
): OpenApiDocument {
  const schemas: Record<string, unknown> = {};

  /** Looks at the outermost part first, so that a named schema can contain others. */
  function shared(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(shared);
    if (typeof part !== 'object' || part === null) return part;
    const name = nameOf.get(JSON.stringify(part));
    if (!name) return partsOf(part);
    schemas[name] ??= partsOf(part);
    return { $ref: `#/components/schemas/${name}` };
  }
  const partsOf = (part: object): object =>
    Object.fromEntries(
      Object.entries(part).map(([key, each]) => [key, isData.has(key) ? each : shared(each)]),
    );

  const { paths, responses } = withSharedErrors(document.paths);
  return {
    ...document,
    paths: partsOf(paths) as OpenApiDocument['paths'], // The same operations, with references.
    components: {
      ...document.components,
      schemas: { ...document.components.schemas, ...sorted(schemas) },
      responses,
    },
  };
}

/** @throws the document has no such operation or field */
function schemaAt({ paths }: OpenApiDocument, [id, part, ...fields]: NamedSchemas[string]): JsonSchema {
  const operation = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id);
  const message = part === 'body' ? operation?.requestBody : operation?.responses[String(part)];
  // Errors alone are references, and have their name.
  let found = message?.content?.['application/json']?.schema as JsonSchema | undefined;
  for (const field of fields) found = found && fieldOf(withoutNull(found), field);
  if (!found) throw new Error(`The document has no schema at ${[id, part, ...fields].join(' ')}`);
  return found;
}

/** `name`, `name[]` for an item of a list, `*` for a value of a record. */
function fieldOf({ properties, additionalProperties }: JsonSchema, field: string): JsonSchema | undefined {
  if (field === '*') return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const [name = '', isList] = field.split('[');
  const found = properties?.[name] && withoutNull(properties[name]);
  return isList === undefined ? found : found?.items;
}

/** Values that a reader sees, not schemas. */
const isData = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Error responses that several operations have, under the name of their status and codes. */
function withSharedErrors(paths: OpenApiDocument['paths']) {
  const counts = new Map<string, number>();
  const errors = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([, response]) => isError(response));
  for (const [status, { description }] of errors) {
    const name = nameOfError(status, description);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const responses: Record<string, object> = {};
  const replaced = mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => {
          const name = nameOfError(status, response.description);
          if (!isError(response) || (counts.get(name) ?? 0) < 2) return [status, response];
          responses[name] = response;
          return [status, { $ref: `#/components/responses/${name}` }];
        }),
      ),
    })),
  );
  return { paths: replaced, responses: sorted(responses) };
}

const isError = ({ content }: { readonly content?: object }): boolean =>
  JSON.stringify(content ?? {}).includes('#/components/schemas/Error');

const nameOfError = (status: string, codes: string): string => `${status}.${codes.replaceAll(', ', '.')}`;

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, map: (value: In) => Out) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
