import { Name } from './controls.tsx'
import { namePartsOf } from './nameParts.ts'

/** A shorter name fits everywhere, in two lines if need be. */
const MIN_CUT_UNITS = 17

/** A file name of another person in little room. A long one is in one line and cut in its middle, so that its ending stays; it is read out whole. */
export function CutName({ name }: { readonly name: string }) {
  if (name.length < MIN_CUT_UNITS) return <Name>{name}</Name>
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
