/** Kinds of files that no preview shows, by their endings and media types. */
const ENDINGS =
  /\.(?:7z|aac|apk|avi|bz2|dmg|docx?|epub|exe|flac|gz|hei[cf]|iso|key|m4a|m4v|mkv|mov|mp3|mp4|mpe?g|msi|numbers|od[pst]|ogg|opus|otf|pages|pdf|pptx?|psd|rar|tar|tgz|tiff?|ttf|wav|webm|woff2?|xlsx?|xz|zip|zst)$/i
const TYPES =
  /^(?:audio|font|video)\/|^image\/(?:hei[cf]|tiff)|^application\/(?:epub|gzip|msword|pdf|vnd\.ms-|vnd\.oasis\.|vnd\.openxml|x-7z|zip)/i

/** False if the unverified name or type excludes a preview. Only the bytes decide (previewContent.ts). */
export function mayHavePreview(name: string | undefined, type: string | undefined): boolean {
  return !ENDINGS.test(name ?? '') && !TYPES.test(type ?? '')
}
