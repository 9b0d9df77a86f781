/** What a workspace's container is made of. */
export interface ContainerPlan {
  readonly image: string;
  readonly origin: ContainerOrigin;
  /** Whom shells and programs run as; the image's own user without it. */
  readonly user: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Where shells begin; the repository without it. */
  readonly workDir: string | null;
  readonly mounts: readonly { readonly volume: string; readonly target: string }[];
  readonly capabilities: readonly string[];
  readonly securityOptions: readonly string[];
  readonly startup: Startup;
}

/** The repository's own image, the node's default one, or that one because the own one could not be made. */
export type ContainerOrigin = 'own' | 'default' | 'fallback';

/** What is started in the container each time it starts. */
export interface Startup {
  readonly user: string;
  readonly commands: readonly string[];
}

/** A container straight from an image. */
export function plainPlan(image: string, origin: ContainerOrigin): ContainerPlan {
  return {
    image,
    origin,
    user: null,
    environment: {},
    workDir: null,
    mounts: [],
    capabilities: [],
    securityOptions: [],
    startup: { user: '', commands: [] },
  };
}
