import * as z from 'zod/mini';
import { parseLabel } from './docker-names.js';

export const maxDeclaredPorts = 50;
export const maxLabelLength = 64;

const Port = z.int().check(z.minimum(1), z.maximum(65_535));
const Label = z.string().check(z.maxLength(maxLabelLength));
const LabelledPorts = z.readonly(z.object({ from: Port, to: Port, label: Label }));

/** Ports that the configuration of a dev container names. */
export const DeclaredPorts = z.readonly(
  z.object({
    /** From `forwardPorts`. */
    forwarded: z.readonly(z.array(Port).check(z.maxLength(maxDeclaredPorts))),
    /** From `portsAttributes`; the first that includes a port is used. */
    labels: z.readonly(z.array(LabelledPorts).check(z.maxLength(maxDeclaredPorts))),
  }),
);
export type DeclaredPorts = z.infer<typeof DeclaredPorts>;

export const noPorts: DeclaredPorts = { forwarded: [], labels: [] };

export function parsePortsLabel(text: string | undefined): DeclaredPorts {
  return parseLabel(DeclaredPorts, text) ?? noPorts;
}

/** The label of the configuration; null: it has none for this port. */
export function declaredLabel({ labels }: DeclaredPorts, port: number): string | null {
  return labels.find(({ from, to }) => from <= port && port <= to)?.label ?? null;
}
