let wasAsked = false

/**
 * True for the first call after the page was loaded: the focus then stays where browsers put it. Every later view must
 * move the focus itself, because the browser does so only when it loads a page.
 */
export function isFirstView(): boolean {
  const isFirst = !wasAsked
  wasAsked = true
  return isFirst
}
