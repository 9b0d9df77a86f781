import { type Instruction, readings } from './dockerfile-lines.js';
import { declare, expand, type Variables } from './dockerfile-words.js';

/** An image that the engine pulls for a build when it does not have it. */
interface BaseImage {
  /** As the Dockerfile names it. */
  readonly text: string;
  /** With the values of variables; null: it cannot be determined. */
  readonly name: string | null;
  /** Null: the platform of the build. */
  readonly platform: string | null;
}

/** The images of FROM, COPY --from and RUN --mount=from, without stages of the same Dockerfile. */
export function baseImages(dockerfile: string, buildArguments: Variables): readonly BaseImage[] {
  return readings(dockerfile).flatMap((instructions) => imagesOf(instructions, buildArguments));
}

function imagesOf(instructions: readonly Instruction[], buildArguments: Variables): readonly BaseImage[] {
  const variables = globalArguments(instructions, buildArguments);
  const stages = new Set(['scratch']);
  const positions = new Set<string>();
  return instructions.flatMap((instruction) => {
    const { images: named, platform, stage } = partsOf(instruction);
    const found = named.map((text) => ({ text, name: expand(text, variables) }));
    // Only COPY takes a number for the position of a stage.
    const earlier = instruction.name === 'COPY' ? new Set([...stages, ...positions]) : stages;
    const images = found.filter(({ name }) => name === null || !earlier.has(name.toLowerCase()));
    if (stage !== null) stages.add(stage.toLowerCase());
    if (instruction.name === 'FROM') positions.add(String(positions.size));
    return images.map((image) => ({ ...image, platform: platform && expand(platform, variables) }));
  });
}

const nothing = { images: [], platform: null, stage: null };

function partsOf({ name, text }: Instruction) {
  const words = text.split(/\s+/);
  const flag = (key: string) =>
    words.find((word) => word.toLowerCase().startsWith(`--${key}=`))?.slice(key.length + 3) ?? null;
  if (name === 'COPY') return { ...nothing, images: present(flag('from')) };
  if (name === 'RUN') return { ...nothing, images: words.flatMap(mountedImages) };
  if (name !== 'FROM') return nothing;
  const [image = '', as = '', stage = null] = words.filter((word) => !word.startsWith('--'));
  return {
    images: [image],
    platform: flag('platform'),
    stage: as.toLowerCase() === 'as' ? stage : null,
  };
}

/** Fields with quotes keep them: such a name is refused. */
function mountedImages(word: string): readonly string[] {
  if (!/^--mount=/i.test(word)) return [];
  const fields = word.slice('--mount='.length).split(',');
  return fields.flatMap((field) => present(/^(["'\\]*)from=(.*)$/is.exec(field)?.slice(1).join('')));
}

function present(image: string | null | undefined): readonly string[] {
  return image ? [image] : [];
}

/** The arguments that FROM may use: those before the first FROM. */
function globalArguments(instructions: readonly Instruction[], given: Variables): Variables {
  const variables = new Map<string, string>();
  for (const { name, text } of instructions) {
    if (name === 'FROM') break;
    if (name === 'ARG') declare(text, variables, given);
  }
  return variables;
}
