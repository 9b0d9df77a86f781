import type { AgentRow } from '../../agent/api/contracts.js';
import { tokenRules } from '../../agent/api/token-kinds.js';
import { variableGroups } from '../../agent/src/config/declarations.js';
import { type JsonSchema, jsonSchema } from '../../lambdas/edge/openapi/json-schema.js';
import { TerminalClientMessage } from '../../protocol/terminal.js';

/** Every route with the token it accepts, by area. */
export function routesTable(rows: readonly AgentRow[]): string {
  const lines = rows.map(({ area, contract }) => {
    const { method, path, token, summary } = contract;
    const isSocket = 101 in contract.responses && method !== 'any';
    const name = isSocket ? 'socket' : method.toUpperCase();
    return `| ${area} | \`${name} ${path}\` | ${tokenRules[token].accepts} | ${summary} |`;
  });
  return ['| Area | Route | Token | Effect |', '|---|---|---|---|', ...lines].join('\n');
}

/** Every variable of the agent with its default. */
export function settingsTable(): string {
  const lines = variableGroups().flatMap(([group, variables]) =>
    variables.map(
      ({ name, fallback, meaning }) =>
        `| ${group} | \`${name}\` | ${fallback === null ? '–' : `\`${fallback}\``} | ${meaning} |`,
    ),
  );
  return ['| Group | Variable | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

/** The messages of a terminal's client, from the schema that parses them. */
export function terminalClientTable(): string {
  const { oneOf, anyOf } = jsonSchema(TerminalClientMessage, 'input');
  const lines = (oneOf ?? anyOf ?? []).map(({ properties = {} }) => {
    const hasSession = 'sessionId' in properties ? 'yes' : '';
    return `| \`${String(properties.type?.const)}\` | ${hasSession} | ${fieldsOf(properties.data)} |`;
  });
  return ['| `type` | `sessionId` | `data` |', '|---|---|---|', ...lines].join('\n');
}

function fieldsOf(data: JsonSchema | undefined): string {
  const required = data?.required ?? [];
  return Object.keys(data?.properties ?? {})
    .map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
    .join(', ');
}
