/** What kind of file it says to be, by its media type or the ending of its name. Only a hint: senders choose both. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document', 'archive', 'other'] as const
export type FileKind = (typeof FILE_KINDS)[number]

export function isFileKind(text: unknown): text is FileKind {
  return FILE_KINDS.some((kind) => kind === text)
}

const ENDINGS: Readonly<Record<Exclude<FileKind, 'other'>, string>> = {
  image: 'jpg jpeg jpe png gif webp avif heic heif hif tif tiff bmp svg ico psd dng cr2 cr3 nef arw raf orf rw2 jxl',
  video: 'mp4 m4v mov mkv webm avi wmv mpg mpeg 3gp mts m2ts ogv flv',
  audio: 'mp3 m4a aac wav flac ogg oga opus wma aif aiff amr mid midi',
  document:
    'pdf txt md rtf doc docx odt pages xls xlsx ods csv tsv numbers ppt pptx odp key epub tex html htm xml json eml msg',
  archive: 'zip tar gz tgz bz2 xz 7z rar zst iso dmg',
}

const KIND_OF = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) =>
    endings.split(' ').map((ending) => [ending, FILE_KINDS.find((each) => each === kind) ?? 'other'] as const),
  ),
)

/** Media types that say more than their first half. */
const DOCUMENT_TYPE = /^text\/|^application\/(pdf|rtf|json|epub|msword|vnd\.(ms-|openxml|oasis))/
const ARCHIVE_TYPE = /^application\/(zip|gzip|zstd|x-(tar|7z|bzip|xz|rar|gtar)|vnd\.rar)/

export function kindOf({
  name = '',
  type = '',
}: {
  readonly name?: string | undefined
  readonly type?: string | undefined
}): FileKind {
  const byEnding = KIND_OF.get(/\.(\w{1,8})$/.exec(name.slice(-9))?.[1]?.toLowerCase() ?? '')
  if (byEnding !== undefined) return byEnding
  const half = type.slice(0, 64).toLowerCase()
  const broad = (['image', 'video', 'audio'] as const).find((kind) => half.startsWith(`${kind}/`))
  if (broad !== undefined) return broad
  return DOCUMENT_TYPE.test(half) ? 'document' : ARCHIVE_TYPE.test(half) ? 'archive' : 'other'
}
