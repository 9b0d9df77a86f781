import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Preset, type PresetKind, presetPrefix, presetsOf } from './preset.js';

/** Profiles or skills of a project, oldest first; one table call. */
export async function listPresets(
  table: Table,
  { kind, projectId }: { readonly kind: PresetKind; readonly projectId: string },
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly presets: readonly Preset[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :kind)',
      ExpressionAttributeValues: { ':project': presetsOf(projectId), ':kind': presetPrefix(kind) },
      ConsistentRead: true,
    },
    { ...page, query: `${kind}s of ${projectId}` },
  );
  return { presets: items.map((item) => Preset.parse(item)), nextCursor };
}
