import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { credentialHelper, gitSettingsText } from './git-settings.js';

it('writes settings that git reads back unchanged, with any characters in names', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'git-')), 'gitconfig');
  const userName = 'Ann "A\\B" #1;\n[core]';
  writeFileSync(
    file,
    gitSettingsText({
      socketPath: "/a b/it's/git.sock",
      userName,
      userEmail: 'a@b.example',
      swap: { from: 'http://localhost:1/', to: 'http://172.17.0.1:1/' },
    }),
  );
  const read = (name: string) =>
    execFileSync('git', ['config', '--file', file, '--get', name], { encoding: 'utf8' }).trimEnd();

  expect(read('user.name')).toBe('Ann "A\\B" #1; [core]');
  expect(read('url.http://172.17.0.1:1/.insteadOf')).toBe('http://localhost:1/');
  expect(read('user.email')).toBe('a@b.example');
  expect(read('credential.helper')).toBe(credentialHelper("/a b/it's/git.sock"));
  expect(credentialHelper("/a b/it's/git.sock")).toContain("--socket='/a b/it'\\''s/git.sock'");
});
