/** One lucide icon as an inline path; decorative, the button around it carries the words. */
import { ICON_PATHS, type IconName } from './icon-paths.ts'

export const Icon = (props: { name: IconName }) => <svg class="svg" viewBox="0 0 24 24" aria-hidden="true"><path d={ICON_PATHS[props.name]} /></svg>
