/** Long enough for every browser to start reading the URL. */
const REVOKE_AFTER_MS = 60_000

/** Downloads bytes that are already in memory to the browser's download directory. */
export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.hidden = true
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}
