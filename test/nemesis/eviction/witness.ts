import type { Sleeper } from '../../integration/workspaces/sleep-stage.js';
import type { EvictionHistory } from './eviction-history.js';
import type { EvictionTarget } from './eviction-target.js';

/** Sees each stop of a container, before the engine does, and what became of the other ones. */
export class Witness {
  victims: readonly Sleeper[] = [];
  lastStopAt = 0;
  /** By id and by name. */
  private containers = new Map<string, Sleeper>();
  private innocents = new Map<Sleeper, string>();

  constructor(
    private readonly target: EvictionTarget,
    private readonly history: EvictionHistory,
  ) {
    for (const node of target.nodes)
      node.door.onStop = async (containerId) => {
        this.lastStopAt = Date.now();
        // Otherwise the node would evict the next workspace as well, and rightly.
        node.setPressure('none');
        await this.onStop(containerId);
      };
  }

  begin(victims: readonly Sleeper[]): void {
    this.victims = victims;
    this.containers = new Map(
      this.target.sleepers.flatMap((sleeper) => {
        const { id = '', name } = this.target.container(sleeper);
        return [id, name].map((key) => [key, sleeper] as const);
      }),
    );
    const innocents = this.target.sleepers.filter((sleeper) => !victims.includes(sleeper));
    this.innocents = new Map(innocents.map((sleeper) => [sleeper, this.lifeOf(sleeper)]));
  }

  end(): void {
    for (const [sleeper, life] of this.innocents)
      if (this.lifeOf(sleeper) !== life) this.broken('innocent_stopped', sleeper);
    this.containers.clear();
    this.history.agentKills.count = this.target.nodes.reduce((sum, { ends }) => sum + ends, 0);
  }

  lost(sleeper: Sleeper): void {
    this.broken('work_lost', sleeper);
  }

  private lifeOf(sleeper: Sleeper): string {
    return JSON.stringify(this.target.container(sleeper));
  }

  /** A workspace that runs for the control plane needs the verified snapshot of this eviction. */
  private async onStop(containerId: string): Promise<void> {
    const sleeper = this.containers.get(containerId);
    if (!sleeper) return;
    if (!this.victims.includes(sleeper)) this.broken('innocent_stopped', sleeper);
    const row = await this.target.stage.row(sleeper);
    if (row.status !== 'running') return;
    const { capture, objects, snapshotGeneration } = (await this.target.stage.record(sleeper)) ?? {};
    const isVerified =
      objects !== undefined &&
      capture?.generation === snapshotGeneration &&
      capture?.eviction?.evictionGeneration === row.evictionGeneration;
    if (!isVerified) this.broken('stopped_without_snapshot', sleeper);
  }

  private broken(
    rule: 'stopped_without_snapshot' | 'innocent_stopped' | 'work_lost',
    sleeper: Sleeper,
  ): void {
    const { workspaceId } = sleeper.workspace;
    const round = this.history.rounds.length;
    this.history.broken.push({ rule, detail: `${workspaceId} after ${round} rounds` });
  }
}
