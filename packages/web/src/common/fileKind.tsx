import './fileKind.css'
import { Icon, type IconName } from './icons.tsx'

/** Endings longer than this say nothing to anybody. */
const MAX_ENDING = 5

/** What stands where a picture could: the kind of file, and its ending in letters. Both are only what its name and type claim. */
export function FileKind({ name, type }: { readonly name: string | undefined; readonly type: string | undefined }) {
  const ending = endingOf(name)
  return (
    <span class="file-kind" aria-hidden="true">
      <Icon name={iconOf(type)} />
      {ending !== undefined && <span class="file-ending">{ending}</span>}
    </span>
  )
}

function iconOf(type: string | undefined): IconName {
  if (type?.startsWith('image/') === true) return 'image'
  return type?.startsWith('video/') === true ? 'play' : 'file'
}

function endingOf(name: string | undefined): string | undefined {
  const ending = /\.([\p{L}\p{N}]+)$/u.exec(name ?? '')?.[1]
  return ending !== undefined && ending.length <= MAX_ENDING ? ending.toUpperCase() : undefined
}
