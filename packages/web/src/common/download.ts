/** Long enough for every browser to begin reading what the link points at. */
const REVOKE_AFTER_MS = 60_000

/** Hands bytes over that are there already, where the browser puts downloads. */
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
