import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Context, type GivenSettings, givenSettings } from '../infra/given-settings.js';
import { type DeploymentSettings, parseDeploymentSettings, settingNames } from '../infra/settings.js';

export interface DeploymentContext extends DeploymentSettings {
  /** Any setting as text. */
  readonly text: (name: string) => string | undefined;
  readonly all: Context;
  readonly given: GivenSettings;
  /** Also those whose value is empty. */
  readonly named: ReadonlySet<string>;
}

const Properties = z.record(z.string(), z.unknown());
const CdkFile = z.object({ context: z._default(Properties, {}) });

/**
 * The settings that scripts share with the CDK app. The sources and their order are those of CDK:
 * command line, cdk.json, cdk.context.json, ~/.cdk.json. Other arguments are ignored.
 * @throws {Error} naming a setting with an invalid value
 */
export function deploymentContext(
  args: readonly string[],
  folder = process.cwd(),
  home = homedir(),
): DeploymentContext {
  const context: Context = {
    ...contextOf(join(home, '.cdk.json')),
    ...Properties.parse(readJson(join(folder, 'cdk.context.json'))),
    ...contextOf(join(folder, 'cdk.json')),
    ...contextArguments(args),
  };
  const given = givenSettings(context, settingNames);
  return {
    ...parseDeploymentSettings(context),
    text: (name) => textOf(context[name]),
    all: context,
    given,
    named: new Set(Object.keys(context)),
  };
}

const contextOf = (file: string): Context => CdkFile.parse(readJson(file)).context;

const readJson = (file: string): unknown => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

/**
 * The options `--context name=value`, `--context=name=value`, `-c name=value` and `-cname=value`.
 */
function contextArguments(args: readonly string[]): Context {
  const pairs = args.flatMap((arg, index) => {
    const value = isContextOption(args[index - 1]) ? arg : /^(?:--context=|-c=?)(.+)$/s.exec(arg)?.[1];
    const [name, ...rest] = value?.split('=') ?? [];
    return name && rest.length > 0 ? [[name, rest.join('=')] as const] : [];
  });
  return Object.fromEntries(pairs);
}

const isContextOption = (arg: string | undefined): boolean => arg === '--context' || arg === '-c';

const textOf = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
