import type { QueryRequest } from './query-request.js';

/** The properties of a launch template that the stand-in uses. */
export interface LaunchTemplateVersion {
  readonly imageId: string | undefined;
  readonly instanceType: string | undefined;
}

/**
 * The DescribeLaunchTemplateVersions call for the template of a launch; none if the launch names no
 * template. A launch without a version uses the default version, like in EC2.
 */
export function launchTemplateQuery(launch: QueryRequest): string | undefined {
  const id = launch.get('LaunchTemplate.LaunchTemplateId');
  const name = launch.get('LaunchTemplate.LaunchTemplateName');
  if (!id && !name) return undefined;
  return new URLSearchParams({
    Action: 'DescribeLaunchTemplateVersions',
    Version: '2016-11-15',
    ...(id ? { LaunchTemplateId: id } : { LaunchTemplateName: name ?? '' }),
    'LaunchTemplateVersion.1': launch.get('LaunchTemplate.Version') ?? '$Default',
  }).toString();
}

/**
 * The version in the reply to `launchTemplateQuery`; nothing if the template has no such version.
 */
export function readLaunchTemplateVersion(reply: string): LaunchTemplateVersion | undefined {
  const data = /<launchTemplateData>([\s\S]*?)<\/launchTemplateData>/.exec(reply)?.[1];
  if (data === undefined) return undefined;
  const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(data)?.[1];
  const imageId = element('imageId');
  return {
    // `resolve:ssm:` names a parameter; machines of the laptop boot without an image.
    imageId: imageId?.startsWith('resolve:') ? undefined : imageId,
    instanceType: element('instanceType'),
  };
}
