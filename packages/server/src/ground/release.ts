import manifest from '../../package.json' with { type: 'json' }

/** The version of this software, as people install it: `1.2.3`. */
export const RELEASE: string = manifest.version
