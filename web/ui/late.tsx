/** A part of the page that is loaded late and may be gone: its place stays empty and the rest goes on; a strip says it (platform/chunk-gone). Other errors are not ours to hide. */
import { createEffect, ErrorBoundary, type JSX, on } from 'solid-js'
import { isChunkFailure } from '#web/platform/chunk-gone.ts'

/** `retryOn`: when it changes, for instance because a person went elsewhere, it is tried again. */
export const Late = (props: { children: JSX.Element; retryOn?: () => unknown }) => (
  <ErrorBoundary fallback={(error: unknown, retry) => {
    if (!isChunkFailure(error)) throw error
    const { retryOn } = props
    if (retryOn) createEffect(on(retryOn, () => retry(), { defer: true }))
    return null
  }}>{props.children}</ErrorBoundary>
)
