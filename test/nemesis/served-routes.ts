import { routes } from '../../lambdas/routes.js';
import type { Answer, RecordedCall } from '../integration/agent/fake-control-plane.js';
import { type Invoke, loadRoute } from '../support/invoke.js';

interface ServedRoute {
  readonly pattern: RegExp;
  readonly invoke: Invoke;
}

/** Real handlers of the control plane, by the path that a node calls. */
export class ServedRoutes {
  private constructor(private readonly served: readonly ServedRoute[]) {}

  static async load(files: readonly string[]): Promise<ServedRoutes> {
    const served: ServedRoute[] = [];
    for (const file of files) {
      const path = routes.find((route) => route.file === file)?.path ?? '';
      const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      served.push({ pattern, invoke: await loadRoute(file) });
    }
    return new ServedRoutes(served);
  }

  /** Undefined: the path of another route. */
  async invoke({ path, authorization, body }: RecordedCall): Promise<Answer | undefined> {
    const { pathname, searchParams } = new URL(path, 'http://control-plane');
    for (const { pattern, invoke } of this.served) {
      const found = pattern.exec(pathname);
      if (!found) continue;
      const query = Object.fromEntries(searchParams);
      const sent = Object.keys(body).length > 0 ? { body } : {};
      return invoke({ params: { ...found.groups }, query, headers: { authorization }, ...sent });
    }
    return undefined;
  }
}
