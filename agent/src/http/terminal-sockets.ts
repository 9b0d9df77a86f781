import { terminalLimits } from '../../../protocol/terminal.js';
import { terminalContracts } from '../../api/terminals.js';
import type { Log } from '../shared/log.js';
import { SingleTerminalSocket } from '../terminals/single-terminal-socket.js';
import { TerminalSocket } from '../terminals/terminal-socket.js';
import type { Terminals } from '../terminals/terminals.js';
import type { AuthContext } from './auth-context.js';
import type { Router } from './router.js';

export interface TerminalSocketDeps {
  readonly terminals: Terminals;
  readonly log: Log;
}

export function addTerminalSockets(router: Router, { terminals, log }: TerminalSocketDeps): void {
  const maxBytes = terminalLimits.maxMessageBytes;

  router.socket(terminalContracts.terminalsSocket, maxBytes, ({ auth }) => (client, stream) => {
    const owner = ownerOf(auth);
    log.info('Terminal socket opened', owner);
    new TerminalSocket({ socket: client, stream }, owner, terminals, log);
  });

  router.socket(terminalContracts.terminalSocket, maxBytes, ({ auth, query }) => (client) => {
    const owner = ownerOf(auth);
    log.info('Terminal socket opened', owner);
    const size = { rows: Number(query.rows), cols: Number(query.cols) };
    void new SingleTerminalSocket(client, owner, terminals, log).start(size);
  });
}

function ownerOf({ workspaceId, userId }: AuthContext) {
  if (workspaceId === null || userId === null) throw new Error('A terminal needs a person and a workspace');
  return { workspaceId, userId };
}
