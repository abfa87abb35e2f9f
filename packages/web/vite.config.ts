import { join } from 'node:path'
import type { InlineConfig, Plugin } from 'vite'

const here = import.meta.dirname
const common = { configFile: false, root: here, logLevel: 'warn' } as const

/**
 * Three pages, each a bundle of its own: the owner's at `/`, the guest's below `/u/`, a share's below `/v/`. Their
 * addresses for scripts are relative, so that the same files serve below any path of a proxy. `inWorkers`: plugins for
 * the bundles of workers, which do not have those of the pages.
 */
export function pagesConfig(outDir: string, inWorkers: readonly Plugin[] = []): InlineConfig {
  return {
    ...common,
    base: './',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The polyfill would be an inline script, which the Content-Security-Policy forbids.
      modulePreload: { polyfill: false },
      // A picture inside a stylesheet would need `data:` in the policy.
      assetsInlineLimit: 0,
      rolldownOptions: { input: { owner: 'index.html', guest: 'u/index.html', share: 'v/index.html' } },
    },
    worker: { format: 'es', plugins: () => [...inWorkers] },
  }
}

/** A service worker is one file in a folder of its own: the folder is its scope, and no page is in it. */
export function serviceWorkerConfig(name: 'push' | 'take', outDir: string): InlineConfig {
  return {
    ...common,
    build: {
      outDir: join(outDir, name),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: `src/${name}/${name}Worker.ts`, formats: ['iife'], name, fileName: () => 'worker.js' },
    },
  }
}

/** A guest's file is shown in a sandbox without origin, which loads no modules (HTML, fetch a module script: CORS). */
export function previewConfig(outDir: string): InlineConfig {
  return {
    ...common,
    build: {
      outDir: join(outDir, 'preview'),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: 'src/preview/preview.ts', formats: ['iife'], name: 'preview', fileName: () => 'preview.js' },
    },
  }
}
