import { Name } from '../controls/controls.tsx'
import { namePartsOf } from './nameParts.ts'

interface CutNameProps {
  readonly name: string
  /** A name of fewer UTF-16 units is shown whole, in as many lines as it needs. */
  readonly cutFrom: number
}

/** Another person's file name in little room: cut in its middle, so that its ending stays. Read out whole. */
export function CutName({ name, cutFrom }: CutNameProps) {
  if (name.length < cutFrom) return <Name>{name}</Name>
  const { stem, tail } = namePartsOf(name)
  return (
    <>
      <span class="visually-hidden">
        <Name>{name}</Name>
      </span>
      <span class="cut-name" aria-hidden="true" title={name} dir="auto">
        <bdi>{stem}</bdi>
        {tail !== '' && <bdi>{tail}</bdi>}
      </span>
    </>
  )
}
