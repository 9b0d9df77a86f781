import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

/** A piece of a line, and what it is: `keyword`, `string`. */
export interface Token {
  readonly kind: string;
  readonly text: string;
}
export type TokenLine = readonly Token[];

const lowlight = createLowlight({
  ...{ bash, c, csharp, css, dockerfile, go, ini, java, json, markdown, php, python, ruby, rust },
  ...{ sql, typescript, xml, yaml },
});

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/** The lines of a text. Together their tokens are the text, whatever it is. */
export function tokenLines(text: string, language: string): readonly TokenLine[] {
  const lines: Token[][] = [[]];
  for (const { kind, text: piece } of flat(lowlight.highlight(language, text).children, ''))
    piece.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    });
  return lines;
}

/** The innermost kind of each piece of text. */
function* flat(nodes: Nodes, kind: string): Generator<Token> {
  for (const node of nodes) {
    if (node.type === 'text') yield { kind, text: node.value };
    else if (node.type === 'element') yield* flat(node.children as Nodes, kindOf(node.properties) ?? kind);
  }
}

function kindOf({ className }: Readonly<Record<string, unknown>>): string | undefined {
  const [first] = Array.isArray(className) ? className : [];
  return typeof first === 'string' ? first.replace('hljs-', '') : undefined;
}
