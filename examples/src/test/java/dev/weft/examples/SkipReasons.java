package dev.weft.examples;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Prints why a test was skipped: surefire's console counts skipped tests but keeps their reasons to its XML. */
public final class SkipReasons implements TestExecutionListener {

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        print(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            print(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
        }
    }

    private static void print(TestIdentifier test, String reason) {
        var name = test.getSource().map(source -> {
            if (source instanceof MethodSource method) {
                return method.getClassName() + "." + method.getMethodName();
            }
            return source instanceof ClassSource type ? type.getClassName() : test.getDisplayName();
        }).orElseGet(test::getDisplayName);
        System.out.println("SKIPPED " + name + ": " + reason);
    }
}
