import * as z from 'zod/mini';

/** What the rest of the laptop cloud must know of the deployed stacks. */
export const Outputs = z.object({
  HttpApiId: z.string(),
  WebSocketApiId: z.string(),
  TableName: z.string(),
  ConsoleBucket: z.string(),
  ArtifactsBucket: z.string(),
  CodeHostSecretArn: z.string(),
  /**
   * These are not among those of a deployment by an older Berth, which is deployed again before it
   * is used.
   */
  OriginSecretName: z.optional(z.string()),
  CodeHostWebhookSecretArn: z.optional(z.string()),
});
export type Outputs = z.infer<typeof Outputs>;

const OutputsFile = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * Reads the file that `cdk deploy --outputs-file` writes: the outputs of each stack under its name.
 */
export function parseOutputs(text: string): Outputs {
  const stacks = OutputsFile.parse(JSON.parse(text));
  return Outputs.parse(Object.assign({}, ...Object.values(stacks)));
}
