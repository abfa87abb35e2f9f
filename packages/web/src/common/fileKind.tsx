import { fileEnding } from './fileEnding.ts'
import './fileKind.css'
import { Icon, type IconName } from './icons.tsx'

/** An icon and the file ending, in place of a thumbnail. Both come from the unverified name and type. */
export function FileKind({ name, type }: { readonly name: string | undefined; readonly type: string | undefined }) {
  const ending = fileEnding(name)
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
