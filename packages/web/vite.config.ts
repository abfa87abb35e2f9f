import { join } from 'node:path'
import type { InlineConfig, Plugin } from 'vite'

const here = import.meta.dirname
const common = { configFile: false, root: here, logLevel: 'warn' } as const

/**
 * Two documents: the owner's at `/`, and the one of links and shares below `/u/` and `/v/`. Their addresses for scripts
 * are relative, so that the same files serve below any path of a proxy. `inWorkers`: plugins for the bundles of
 * workers, which do not have those of the pages.
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
      rolldownOptions: { input: { owner: 'index.html', link: 'u/index.html' } },
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

/** PDFium's script is given the bytes of its WebAssembly, which Vite would otherwise write into the script as text. */
const withoutAddress: Plugin = {
  name: 'without-address',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('@embedpdf/pdfium') ? code.replace("new URL('pdfium.wasm', import.meta.url).href", "''") : undefined,
}

/** The scripts that run in the sandbox of a guest's file, and which of them are decoders, in workers there. */
export const DECODERS = ['pdf', 'heic', 'tiff'] as const

/**
 * A guest's file is shown in a sandbox without origin, which loads no modules (HTML, fetch a module script: CORS). Its
 * page gets the code of a decoder in a message.
 */
export function previewConfig(
  name: 'preview' | (typeof DECODERS)[number],
  outDir: string,
  plugins: readonly Plugin[],
): InlineConfig {
  const entry = name === 'preview' ? 'src/preview/preview.ts' : `src/preview/decoders/${name}.ts`
  return {
    ...common,
    plugins: [withoutAddress, ...plugins],
    // A script that is no module has no address.
    define: { 'import.meta.url': '""' },
    build: {
      outDir: join(outDir, 'preview'),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry, formats: ['iife'], name, fileName: () => `${name}.js` },
    },
  }
}
