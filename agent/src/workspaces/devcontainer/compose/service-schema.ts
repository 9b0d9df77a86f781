import * as z from 'zod/mini';

const Texts = z.array(z.string());
const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A mapping, or a list of `NAME=value`. */
const Pairs = z.union([z.record(z.string(), Scalar), Texts]);
const Command = z.nullable(z.union([z.string(), Texts]));

const Volume = z.union([
  z.string(),
  z.strictObject({
    type: z.string(),
    source: z.optional(z.string()),
    target: z.string(),
    read_only: z.optional(z.boolean()),
  }),
]);
export type Volume = z.infer<typeof Volume>;

const Healthcheck = z.strictObject({
  test: z.optional(z.union([z.string(), Texts])),
  interval: z.optional(z.string()),
  timeout: z.optional(z.string()),
  retries: z.optional(z.number()),
  start_period: z.optional(z.string()),
  disable: z.optional(z.boolean()),
});
export type Healthcheck = z.infer<typeof Healthcheck>;

const Build = z.union([
  z.string(),
  z.strictObject({
    context: z.optional(z.string()),
    dockerfile: z.optional(z.string()),
    target: z.optional(z.string()),
    args: z.optional(Pairs),
  }),
]);

const Dependencies = z.union([
  Texts,
  z.record(
    z.string(),
    z.strictObject({
      condition: z.optional(z.enum(['service_started', 'service_healthy', 'service_completed_successfully'])),
      required: z.optional(z.boolean()),
      restart: z.optional(z.boolean()),
    }),
  ),
]);

/** The evaluated keys of a service; the others were checked before. */
export const Service = z.object({
  image: z.optional(z.string()),
  build: z.optional(Build),
  command: z.optional(Command),
  entrypoint: z.optional(Command),
  environment: z.optional(Pairs),
  env_file: z.optional(z.union([z.string(), Texts])),
  user: z.optional(z.union([z.string(), z.number()])),
  working_dir: z.optional(z.string()),
  volumes: z._default(z.array(Volume), []),
  depends_on: z._default(Dependencies, []),
  healthcheck: z.optional(Healthcheck),
  restart: z.optional(z.union([z.string(), z.boolean()])),
  cap_add: z._default(Texts, []),
  security_opt: z._default(Texts, []),
  network_mode: z.optional(z.string()),
});
export type Service = z.infer<typeof Service>;

export const ComposeFile = z.looseObject({
  services: z.record(z.string(), z.looseObject({})),
  volumes: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
});

/** Values of a mapping or a list of `NAME=value`; a name alone takes its value from `variables`. */
export function pairsOf(
  pairs: z.infer<typeof Pairs> = {},
  variables: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Array.isArray(pairs) ? pairs.map(pairOf) : Object.entries(pairs);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const text = value === null ? variables[name] : String(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function pairOf(text: string): [string, string | null] {
  const at = text.indexOf('=');
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
