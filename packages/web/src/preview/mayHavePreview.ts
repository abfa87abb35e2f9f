/** Whether a file may have a preview, before any of it is read. */
import { maxBytesOf } from './previewContent.ts'

/** Kinds of files that no preview shows, by their endings and media types. */
const ENDINGS =
  /\.(?:7z|apk|avi|bz2|dmg|docx?|epub|exe|gz|iso|key|mkv|mpe?g|msi|numbers|od[pst]|otf|pages|pptx?|psd|rar|tar|tgz|ttf|wmv|woff2?|xlsx?|xz|zip|zst)$/i
const TYPES =
  /^font\/|^video\/(?:mpeg|x-(?!m4v))|^application\/(?:epub|gzip|msword|vnd\.ms-|vnd\.oasis\.|vnd\.openxml|x-7z|zip)/i
const MEDIA_ENDINGS = /\.(?:aac|flac|m4a|m4v|mov|mp3|mp4|oga|ogg|opus|wav|webm)$/i
const MEDIA_TYPES = /^(?:audio|video)\//i
const OTHER_ENDING = /\.(?:avif|gif|hei[cf]|jpe?g|pdf|png|tiff?|txt|webp)$/i

interface Claimed {
  readonly name?: string | undefined
  readonly type?: string | undefined
  /** Bytes of the file. */
  readonly size: number
}

/** Of these there is nothing to see at the size of a tile. */
const WORDS_AND_SOUNDS = /^(?:audio|text)\/|\.(?:aac|csv|flac|html?|json|log|m4a|md|mp3|oga|ogg|opus|svg|txt|wav|xml)$/i

/** Whether a thumbnail may be made, before any of the file is read. */
export function mayHaveThumbnail(claimed: Claimed): boolean {
  const { name = '', type = '' } = claimed
  return whyNoPreview(claimed) === undefined && !WORDS_AND_SOUNDS.test(name) && !WORDS_AND_SOUNDS.test(type)
}

/** Why there is no preview, as far as the unverified name or type says it. Only the bytes decide (fileKind.ts). */
export function whyNoPreview({ name = '', type = '', size }: Claimed): 'unknown' | 'too_large' | undefined {
  if (ENDINGS.test(name) || TYPES.test(type)) return 'unknown'
  const mayBeMedia = MEDIA_ENDINGS.test(name) || (MEDIA_TYPES.test(type) && !OTHER_ENDING.test(name))
  return size > maxBytesOf(mayBeMedia ? { kind: 'media' } : undefined) ? 'too_large' : undefined
}
