import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { installationKey } from './installation.js';
import type { VisibleInstallation } from './list-installations.js';
import { putInstallation } from './put-installation.js';

/** A transaction holds at most 100 writes; what is left over goes at the next sign-in. */
const maxGone = 90;

/** Records an installation, and forgets those that are gone. One table call. */
export async function recordInstallation(
  table: Table,
  owner: { readonly userId: string; readonly now: Date },
  { seen, gone }: { readonly seen: VisibleInstallation; readonly gone: readonly string[] },
): Promise<void> {
  await table.client.send(
    new TransactWriteCommand({
      TransactItems: [
        { Update: putInstallation(table, owner, seen) },
        ...gone.slice(0, maxGone).map((installationId) => ({
          Delete: { TableName: table.name, Key: installationKey(owner.userId, installationId) },
        })),
      ],
    }),
  );
}
