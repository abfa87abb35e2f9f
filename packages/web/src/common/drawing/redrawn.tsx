import { Component, type ComponentChildren } from 'preact'

interface RedrawnProps {
  readonly parts: readonly unknown[]
  readonly draw: () => ComponentChildren
}

/**
 * Drawn again only when one of its parts has changed, for rows of which there are hundreds. A memoized element would do
 * the same, but leak: it keeps the element around it from when it was made, with all rows of that time, and these keep
 * those of earlier times.
 */
export class Redrawn extends Component<RedrawnProps> {
  override shouldComponentUpdate({ parts }: RedrawnProps): boolean {
    return parts.some((part, index) => part !== this.props.parts[index])
  }

  override render({ draw }: RedrawnProps): ComponentChildren {
    return draw()
  }
}
