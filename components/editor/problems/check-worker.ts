import { answerAside } from '@/components/editor/aside'
import { createExaminer } from './examiner'

/** The other side of `openWorker`. */

answerAside(createExaminer())
