/** The decoders' files, fetched when a frame has asked for one: it has no network of its own. */

import type { DecoderCode, DecoderName } from './previewMessages.ts'
import { previewUrl } from './previewUrl.ts'

/** As the build writes them beside the frame's page. */
const FILES: Readonly<Record<DecoderName, { readonly scripts: readonly string[]; readonly wasm?: string }>> = {
  pdf: { scripts: ['pdf.js'], wasm: 'pdfium.wasm' },
  heic: { scripts: ['libheif.js', 'heic.js'], wasm: 'libheif.wasm' },
  tiff: { scripts: ['tiff.js'] },
}

const loads = new Map<DecoderName, Promise<DecoderCode>>()

/** Loaded once for a page. Rejects when the server is not reached; the next call tries again. */
export function decoderCode(name: DecoderName): Promise<DecoderCode> {
  const known = loads.get(name)
  if (known !== undefined) return known
  const loading = load(name)
  loads.set(name, loading)
  loading.catch(() => loads.delete(name))
  return loading
}

async function load(name: DecoderName): Promise<DecoderCode> {
  const { scripts, wasm } = FILES[name]
  const [code, module] = await Promise.all([Promise.all(scripts.map(fileOf)), wasm && fileOf(wasm)])
  return { scripts: code, wasm: module || undefined }
}

async function fileOf(name: string): Promise<Blob> {
  const answer = await fetch(`${previewUrl()}${name}`)
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`)
  return answer.blob()
}
