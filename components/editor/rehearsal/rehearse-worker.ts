import { answerAside } from '@/components/editor/aside'
import { createRehearser } from './rehearser'

/** The other side of `openRehearser`. */

answerAside(createRehearser())
