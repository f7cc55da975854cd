package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;

/** Threads that do the same at one time. */
final class Crowd {

    private Crowd() {}

    /** What each does. */
    interface Work {
        void run(int number) throws Exception;
    }

    /** Has so many do it, numbered from 0, and waits for all; what one throws fails the test. */
    static void of(int size, Work work) throws InterruptedException {
        of(size, "", work);
    }

    /** The same, with what a failure is to tell, such as a seed. */
    static void of(int size, String run, Work work) throws InterruptedException {
        var failures = new ArrayList<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < size; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                try {
                    work.run(number);
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (var thread : threads) {
            thread.join();
        }
        assertThat(failures).as(run).isEmpty();
    }
}
