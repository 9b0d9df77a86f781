import { expect, it } from 'vitest';
import { buildKitNeed } from './buildkit-instructions.js';

it.each([
  [
    'RUN --mount=type=cache,target=/c make',
    /^RUN --mount=type=cache,target=\/c make: RUN --mount needs BuildKit/,
  ],
  [
    'RUN \\\n  --mount=type=bind,target=/c \\\n  make',
    /RUN --mount needs BuildKit.* COPY the files that it binds$/,
  ],
  ['RUN --network=none make', /RUN --network needs BuildKit/],
  ['COPY --chown=a:a --parents a /a', /COPY --parents needs BuildKit/],
  ['COPY --chmod=755 a /a', /COPY --chmod needs BuildKit.* RUN chmod$/],
  ['ONBUILD RUN --mount=type=cache,target=/c make', /RUN --mount needs BuildKit/],
  ['RUN <<EOF\nmake\nEOF', /^RUN <<EOF: a here-document needs BuildKit.* RUN printf$/],
  ['RUN python3 <<-"END"\nprint()\n\tEND', /a here-document needs BuildKit/],
  ['COPY <<one <<two /a/\n1\none\n2\ntwo', /a here-document needs BuildKit/],
])('names the instruction that needs BuildKit, and its replacement: %s', (instructions, need) => {
  expect(buildKitNeed(`FROM base\n${instructions}\n`)).toMatch(need);
});

it.each([
  'RUN make --mount=x',
  'RUN echo $((1<<n)) && cat <<<EOF',
  'RUN cat <<EOF',
  'COPY --from=0 --chown=a:a --link a /a',
  'FROM --platform=linux/amd64 base',
  '# RUN --mount=type=cache make',
  'LABEL a="RUN --mount=x"',
])('finds no need of BuildKit in %s', (instructions) => {
  expect(buildKitNeed(`# syntax=docker/dockerfile:1\nFROM base\n${instructions}\n`)).toBeNull();
});
